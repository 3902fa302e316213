/** "3 left of 120" with its figure in bold; other text is unchanged. */
export function LeadingFigure({ text }: { text: string }) {
  const end = text.search(/\D/)
  return (
    <>
      <strong>{text.slice(0, end)}</strong>
      {text.slice(end)}
    </>
  )
}
