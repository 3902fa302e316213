/** The headings of a table's columns. `numbers`: the names of the columns that are aligned at the end. */
export function TableHead({ names, numbers = [] }: { names: readonly string[]; numbers?: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col" className={numbers.includes(name) ? 'cell-end' : undefined}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}
