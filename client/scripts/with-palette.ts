export const script = document.querySelector<HTMLScriptElement>('script[data-palette]')

/** Loads the palette's script, which also helps with forms. Without it, the page still works. */
export function withPalette(use: (palette: typeof import('./palette.ts')) => void): void {
  import(script?.dataset['palette'] ?? '').then(use).catch(() => {})
}
