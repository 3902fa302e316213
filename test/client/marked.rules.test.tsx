import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Marked } from '../../client/islands/classcords/names.tsx'

const marked = (text: string, words: string): string => renderToString(<Marked text={text} words={words} />)

test('the beginnings of words are marked, ignoring case; nothing inside a word is', () => {
  expect(marked('Calculus Crew', 'calc')).toBe('<mark>Calc</mark>ulus Crew')
  expect(marked('Precalculus', 'calc')).toBe('Precalculus')
  expect(marked('Ada and Alan', 'al ada')).toBe('<mark>Ada</mark> and <mark>Al</mark>an')
  expect(marked('École d’été', 'ÉCO')).toBe('<mark>Éco</mark>le d’été')
})

test('typed text is never a pattern', () => {
  expect(marked('C++ (a.k.a. C)', '.* ( \\ ')).toBe('C++ (a.k.a. C)')
  expect(marked('C++', 'c++')).toBe('<mark>C</mark>++')
  expect(marked('Calculus', '')).toBe('Calculus')
})
