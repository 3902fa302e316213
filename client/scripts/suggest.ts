interface Found {
  value: string
  label: string
}

const SEARCH_DEBOUNCE_MS = 150

async function optionsOf(table: string, q: string): Promise<Found[]> {
  const response = await fetch(`/admin/${table}/options.json?${new URLSearchParams({ q })}`)
  if (!response.ok) return []
  const { options }: { options: Found[] } = await response.json()
  return options
}

/** Selects the suggested row in the field's select element, and empties the field. */
function choose(field: HTMLInputElement, select: HTMLSelectElement, { value, label }: Found): void {
  const present = [...select.options].find((option) => option.value === value)
  if (!present) select.add(new Option(label, value))
  select.value = value
  select.dispatchEvent(new Event('change', { bubbles: true }))
  field.value = ''
}

/** Suggests rows of the field's table during typing; in a filter, the selected row's key is used. */
export function suggestRows(field: HTMLInputElement): void {
  if (field.list) return
  const { rows = '', chooses } = field.dataset
  const select = chooses === undefined ? null : document.getElementById(chooses)
  const list = document.createElement('datalist')
  list.id = `${field.name}-rows`
  field.after(list)
  field.setAttribute('list', list.id)
  let found: Found[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  function suggest(): void {
    const taken = found.find(({ label }) => label === field.value)
    if (taken && select instanceof HTMLSelectElement) {
      choose(field, select, taken)
      return
    }
    clearTimeout(timer)
    const q = field.value.trim()
    if (q === '') return
    timer = setTimeout(() => {
      void optionsOf(rows, q)
        .catch(() => [])
        .then((options) => {
          if (field.value.trim() !== q) return
          found = options
          const words = ({ value, label }: Found) =>
            select === null ? new Option(label, value) : new Option('', label)
          list.replaceChildren(...options.map(words))
        })
    }, SEARCH_DEBOUNCE_MS)
  }
  field.addEventListener('input', suggest)
  // What was typed while this request was pending.
  suggest()
}
