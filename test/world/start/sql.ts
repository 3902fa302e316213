/** A value as SQL writes it. */
export function quoted(value: string | number | null): string {
  return value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
}

export function insert(table: string, row: Record<string, string | number | null>): string {
  return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(quoted).join(', ')});`
}
