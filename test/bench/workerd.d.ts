/** The runtime; `default` is the path of its program. */
declare module 'workerd' {
  const runtime: { default: string }
  export default runtime
}
