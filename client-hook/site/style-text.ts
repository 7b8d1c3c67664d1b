import { addressOf, pathOf } from './site-path.ts'

const IMPORT = /(@import\s+)(?:url\(\s*(["']?)([^"')]+)\2\s*\)|(["'])([^"']+)\4)/gi
const URL_FUNCTION = /url\(\s*(["']?)([^"')]+)\1\s*\)/gi
const FONT_FACE = /@font-face\s*\{[^}]*\}/gi

/** The style sheets of the site that one imports. */
export function importsOf(css: string, from: string): string[] {
  return [...css.matchAll(IMPORT)].flatMap(([, , , named, , quoted]) => pathOf(named ?? quoted ?? '', from) ?? [])
}

/** The other files of the site that a style sheet names. */
export function filesOf(css: string, from: string): string[] {
  const rest = css.replace(IMPORT, '')
  return [...rest.matchAll(URL_FUNCTION)].flatMap(([, , reference = '']) => pathOf(reference, from) ?? [])
}

/** The style sheet with `urlOf` in place of imports, and `cssOf` in place of other references to files of the site. */
export function replaceUrls(
  css: string,
  from: string,
  urlOf: (path: string) => string | undefined,
  cssOf: (path: string) => string | undefined,
): string {
  return css
    .replace(IMPORT, (whole, before: string, _, named: string | undefined, __, quoted: string | undefined) => {
      const path = pathOf(named ?? quoted ?? '', from)
      const url = path === undefined ? undefined : urlOf(path)
      return url === undefined ? whole : `${before}"${url}"`
    })
    .replace(URL_FUNCTION, (whole, _, reference: string) => {
      const path = pathOf(reference, from)
      return (path === undefined ? undefined : cssOf(path)) ?? whole
    })
}

/** The style sheet without the fonts of the site, which {@link LazyStyles} loads. */
export function withoutFonts(css: string, from: string): string {
  return css.replace(FONT_FACE, (rule) => (filesOf(rule, from).length > 0 ? '' : rule))
}

/** The style sheet without its imports, with addresses in place of references: to be parsed, not to be shown. */
export function withAddresses(css: string, from: string): string {
  return replaceUrls(css.replace(IMPORT, '$1"data:,"'), from, addressOf, (path) => `url("${addressOf(path)}")`)
}
