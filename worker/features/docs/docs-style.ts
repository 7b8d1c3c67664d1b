/** The style sheet of /docs; nothing is loaded from elsewhere. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1c2024, #edeef0); --quiet: light-dark(#60646c, #a0a4ad);
  --line: light-dark(#e0e1e6, #33363b); --paper: light-dark(#fff, #131416); --panel: light-dark(#f6f7f9, #1b1d20);
  --link: light-dark(#0b57d0, #8ab4f8); --get: light-dark(#0b6e4f, #6fd6b0); --post: light-dark(#8a4b00, #f3b665);
  --delete: light-dark(#a3211b, #f2a29d) }
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; color: var(--ink); background: var(--paper); font: 1rem/1.55 system-ui, sans-serif;
  display: grid; grid-template-columns: minmax(14rem, 19rem) minmax(0, 1fr) }
a { color: var(--link) }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .125rem }
.skip { position: absolute; left: -99rem }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem; background: var(--paper) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line);
  background: var(--panel); font-size: .875rem }
nav h2 { font-size: .8125rem; margin: 1.25rem 0 .25rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li a { display: block; padding: .15rem .25rem; color: inherit; text-decoration: none }
nav li a:hover { text-decoration: underline }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 62rem }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem }
h2 { font-size: 1.5rem; margin: 3rem 0 .25rem; line-height: 1.25 }
h3 { font-size: 1.125rem; margin: 0 }
h4 { font-size: .875rem; margin: 1rem 0 .25rem }
p { margin: .25rem 0 .75rem }
section.operation, section.schema { border-top: 1px solid var(--line); padding: 1.5rem 0 .5rem; margin-top: 1rem }
.call { font: 600 .9375rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; margin: .25rem 0 .5rem }
.method { text-transform: uppercase; color: var(--post) }
.method.get, .method.head { color: var(--get) }
.method.delete { color: var(--delete) }
.quiet { color: var(--quiet); font-size: .9375rem }
code, pre { font-family: ui-monospace, monospace; font-size: .875em }
pre { margin: .25rem 0 1rem; padding: .875rem 1rem; background: var(--panel); border: 1px solid var(--line);
  border-radius: .5rem; overflow: auto; line-height: 1.5 }
pre code { font-size: .8125rem }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; margin: 0 0 .75rem }
th { text-align: left; font-weight: 600; white-space: nowrap }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td { overflow-wrap: anywhere }
td:nth-child(2):not(:last-child) { color: var(--quiet) }
td pre { white-space: pre-wrap }
details { margin: 0 0 .75rem; font-size: .9375rem }
summary { cursor: pointer }
summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
details ul { columns: 18rem; margin: .25rem 0 0 }
@media (max-width: 48rem) {
  body { display: block }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line) }
}
`
