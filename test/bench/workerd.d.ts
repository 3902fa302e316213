/** The runtime; `default` is the path of its program. */
declare module 'workerd' {
  const runtime: { default: string }
  export default runtime
}

/** The bindings of a bench's Worker. */
declare module 'cloudflare:workers' {
  export const env: object
}
