import { UNITS_OF } from './segments.ts'

/** How characters that the phone alphabet lacks are written. Letters with an accent lose it and need no entry. */
const SPELLINGS: readonly (readonly [letters: string, ...spellings: string[]])[] = [
  ['‘’‚‛′`´ʼʻ', "'"],
  ['“”„‟″«»', '"'],
  ['‐‑‒–—―−•·∙', '-'],
  ['×', 'x'],
  ['…', '...'],
  ['©®™°', '(c)', '(R)', '(TM)', ' deg'],
  ['½¼¾', '1/2', '1/4', '3/4'],
  ['łŁđĐðÐıħĦŧŦŋŊ', 'l', 'L', 'd', 'D', 'd', 'D', 'i', 'h', 'H', 't', 'T', 'n', 'N'],
  ['œŒþÞəƏĸſ', 'oe', 'OE', 'th', 'Th', 'e', 'E', 'k', 's'],
  ['αβγδεζηθικλμνξοπρσςτυφχψω', ...'a v g d e z i th i k l m n x o p r s s t y f ch ps o'.split(' ')],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', ...'A B E Z H I K M N O P T Y X'.split(' ')],
  [
    'абвгдежзийклмнопрстуфхцчшщыэюяєіїґўњљћђџјѓќѕ',
    ...'a b v g d e zh z i y k l m n o p r s t u f kh ts ch sh shch y e yu ya ye i yi g u nj lj c dj dz j gj kj dz'.split(
      ' ',
    ),
  ],
  ['ъьЪЬ', ''],
  ['אבגדהוזחטיכךלמםנןסעפףצץקרשת', ..."' b g d h v z ch t y k k l m m n n s ' p p ts ts k r sh t".split(' ')],
  [
    'اأإآبتثجحخدذرزسشصضطظعغفقكلمنهويىةءؤئپچژگکی',
    ..."a a i a b t th j h kh d dh r z s sh s d t z ' gh f q k l m n h w y a a ' ' ' p ch zh g k y".split(' '),
  ],
]

const SPELLED = new Map(
  SPELLINGS.flatMap(([letters, ...spellings]) =>
    Array.from(letters, (letter, place): [string, string] => [letter, spellings[place] ?? spellings[0] ?? '']),
  ),
)

/**
 * The text in the alphabet of one-septet SMS (3GPP TS 23.038). Accents that it lacks are dropped and Cyrillic, Greek,
 * Hebrew and Arabic letters spelled; what has no spelling (Chinese, emoji) is left out. A text that would lose more
 * than half of its letters and digits is no longer readable and becomes ''.
 */
export function gsmText(text: string): string {
  let letters = 0
  let lost = 0
  const spelled = Array.from(text, (letter) => {
    const one = spellingOf(letter)
    if (/[\p{L}\p{N}]/u.test(letter)) {
      letters += 1
      if (one === null) lost += 1
    }
    return one ?? ''
  })
  if (lost * 2 > letters) return ''
  return spelled.join('').replace(/ +/g, ' ').trim()
}

function spellingOf(letter: string): string | null {
  if (letter === '\n' || letter === '\r' || letter === '\f') return ' '
  if (UNITS_OF.has(letter)) return letter
  const known = SPELLED.get(letter)
  if (known !== undefined) return known
  const [base = ''] = Array.from(letter.normalize('NFKD'))
  if (base === letter) return lowerSpelling(letter)
  return UNITS_OF.has(base) ? base : spellingOf(base)
}

/** A capital letter is spelled like its lower-case letter. */
function lowerSpelling(letter: string): string | null {
  const spelled = SPELLED.get(letter.toLowerCase())
  if (spelled === undefined) return /\p{Z}/u.test(letter) ? ' ' : null
  return spelled.charAt(0).toUpperCase() + spelled.slice(1)
}
