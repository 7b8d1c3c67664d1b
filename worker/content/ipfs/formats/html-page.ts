import { htmlDocument, type Markup, NOT_INDEXED } from '../../../platform/http/html-document.ts'

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --quiet: #60646c; --line: #e0e1e6; --paper: #fcfcfd; --link: #0b68cb; --row: #f0f1f5 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #edeef0; --quiet: #a0a4ad; --line: #33363b; --paper: #131416; --link: #70b8ff; --row: #1c1e22 }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 72rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.25rem; font-weight: 600; overflow-wrap: anywhere; margin: 0 0 .5rem }
header p { margin: .25rem 0; color: var(--quiet); font-size: .875rem; overflow-wrap: anywhere }
header { border-bottom: 1px solid var(--line); padding-bottom: 1rem; margin-bottom: .5rem }
a { color: var(--link); text-decoration: none; border-radius: .125rem }
a:hover { text-decoration: underline }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code, pre, .hash { font-family: ui-monospace, monospace; font-size: .8125rem }
table { width: 100%; border-collapse: collapse }
td { padding: .375rem .5rem; border-bottom: 1px solid var(--line); vertical-align: baseline }
tr:hover td { background: var(--row) }
.type { width: 2rem; text-align: center }
.name { overflow-wrap: anywhere }
.name a, h1 a { unicode-bidi: isolate }
.hash a { color: var(--quiet) }
.size { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--quiet) }
pre { overflow: auto; padding: 1rem; background: var(--row); border-radius: .5rem }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
@media (max-width: 40rem) { .hash { display: none } }
`

/** A page that this gateway makes itself: no script, nothing from elsewhere. */
export async function htmlPage(title: string, body: Markup): Promise<string> {
  return await htmlDocument(title, STYLE, body, NOT_INDEXED)
}
