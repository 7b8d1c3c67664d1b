import { type CSSToken, TokenType, tokenize } from '@csstools/css-tokenizer'
import { addressOf, hashOf, pathOf } from './site-path.ts'

/** Where a style sheet names a file: the tokens that do, the last one included. */
interface Reference {
  text: string
  isImport: boolean
  first: number
  last: number
}

/** What replaces the references to files of the site; `undefined` leaves one as it is. `hash` is its fragment. */
export interface Replacements {
  /** The URL of an imported style sheet. */
  urlOf(path: string): string | undefined
  /** What stands in place of a whole `url(…)`. */
  cssOf(path: string, hash: string): string | undefined
  /** Leaves out the fonts of the site, which LazyStyles loads. */
  withoutFonts?: boolean
}

/** The style sheets of the site that one imports. */
export function importsOf(css: string, from: string): string[] {
  return pathsOf(css, from, true)
}

/** The other files of the site that a style sheet names. */
export function filesOf(css: string, from: string): string[] {
  return pathsOf(css, from, false)
}

/** The style sheet with its references to files of the site replaced. */
export function replaceUrls(css: string, from: string, { urlOf, cssOf, withoutFonts }: Replacements): string {
  const tokens = tokenize({ css })
  const references = findReferences(tokens)
  const texts = tokens.map(([, text]) => text)
  for (const { text, isImport, first, last } of references) {
    const path = pathOf(text, from)
    if (path === undefined) continue
    const url = isImport ? urlOf(path) : undefined
    const replaced = url === undefined ? undefined : `"${url}"`
    const to = isImport ? replaced : cssOf(path, hashOf(text, from))
    if (to !== undefined) texts.fill('', first, last + 1)[first] = to
  }
  if (withoutFonts) {
    for (const [first, last] of fontFaces(tokens)) {
      const isOfSite = ({ text, first: at }: Reference) => at > first && at < last && pathOf(text, from) !== undefined
      if (references.some(isOfSite)) texts.fill('', first, last + 1)
    }
  }
  return texts.join('')
}

/** The style sheet without its imports, with addresses in place of references: to be parsed, not to be shown. */
export function withAddresses(css: string, from: string): string {
  return replaceUrls(css, from, {
    urlOf: () => 'data:,',
    cssOf: (path, hash) => `url("${addressOf(path)}${hash}")`,
  })
}

function pathsOf(css: string, from: string, isImport: boolean): string[] {
  return findReferences(tokenize({ css }))
    .filter((reference) => reference.isImport === isImport)
    .flatMap(({ text }) => pathOf(text, from) ?? [])
}

/** Functions whose strings are URLs (CSS Images 4, 2.1 and 2.3). */
const TAKES_STRINGS = /^(-webkit-)?image(-set)?$/

function findReferences(tokens: readonly CSSToken[]): Reference[] {
  const found: Reference[] = []
  const functions: { name: string; first: number }[] = []
  let rule = ''
  const add = (text: string, first: number, last: number) => {
    // A namespace is a name only.
    if (rule !== 'namespace') found.push({ text, isImport: rule === 'import', first, last })
    // What follows the address of an import are its conditions.
    if (rule === 'import') rule = ''
  }
  tokens.forEach((token, index) => {
    const [type] = token
    const inner = functions.at(-1)
    if (type === TokenType.AtKeyword) rule = token[4].value.toLowerCase()
    else if (type === TokenType.OpenCurly || type === TokenType.CloseCurly || type === TokenType.Semicolon) rule = ''
    else if (type === TokenType.Function) functions.push({ name: token[4].value.toLowerCase(), first: index })
    else if (type === TokenType.OpenParen) functions.push({ name: '', first: index })
    else if (type === TokenType.CloseParen) functions.pop()
    else if (type === TokenType.URL) add(token[4].value, index, index)
    else if (type !== TokenType.String) return
    else if (inner?.name === 'url' || inner?.name === 'src') {
      add(token[4].value, inner.first, nextOf(tokens, index, TokenType.CloseParen))
    } else if (inner ? TAKES_STRINGS.test(inner.name) : rule === 'import') add(token[4].value, index, index)
  })
  return found
}

/** The tokens of each `@font-face`, first and last. */
function fontFaces(tokens: readonly CSSToken[]): [first: number, last: number][] {
  return tokens.flatMap((token, first): [number, number][] => {
    if (token[0] !== TokenType.AtKeyword || token[4].value.toLowerCase() !== 'font-face') return []
    return [[first, nextOf(tokens, first, TokenType.CloseCurly)]]
  })
}

/** The next token of a type, or what the style sheet ends with. */
function nextOf(tokens: readonly CSSToken[], from: number, wanted: TokenType): number {
  let at = from
  while (at < tokens.length - 1 && tokens[at]?.[0] !== wanted) at++
  return at
}
