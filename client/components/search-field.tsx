import { useRef, type InputHTMLAttributes } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

interface SearchFieldProps extends Omit<
  InputHTMLAttributes<HTMLInputElement>,
  'style' | 'className' | 'type' | 'maxLength' | 'value' | 'onChange'
> {
  id: string
  value: string
  onValue: (value: string) => void
}

export function SearchField({ value, onValue, ...rest }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <div className="search">
      <Icon name="search" size={16} />
      <input
        {...rest}
        ref={input}
        className="input"
        type="search"
        maxLength={100}
        value={value}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onValue(event.target.value)}
      />
      {value !== '' && (
        <Button
          kind="quiet"
          icon="close"
          iconOnly
          onClick={() => {
            onValue('')
            input.current?.focus()
          }}
        >
          Clear search
        </Button>
      )}
    </div>
  )
}
