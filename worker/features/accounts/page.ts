import { html } from 'hono/html'
import { documentPolicy, htmlDocument, type Markup } from '../../platform/http/html-document.ts'
import { HTML_TYPE } from '../../platform/http/media-types.ts'
import { NO_STORE } from '../../platform/http/policies.ts'

// The paper, ink and accent of the console (console/styles/tokens.css).
const STYLE = `
:root { color-scheme: light dark; --ground: light-dark(#f6f4ef, #0b141d); --surface: light-dark(#fffefb, #101b26);
  --ink: light-dark(#1c2733, #e8eef3); --quiet: light-dark(#55626f, #9aaab8); --line: light-dark(#e0dace, #233444);
  --edge: light-dark(#7d8893, #67798a); --accent: light-dark(#0b57d0, #a8c7fa); --on-accent: light-dark(#fff, #062e6f);
  --bad: light-dark(#a3211b, #f2a29d) }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--surface); border: 1px solid var(--line);
  border-radius: .75rem }
a { color: var(--accent) }
.mark { display: flex; align-items: center; gap: .5rem; margin: 0 0 1.5rem; font-weight: 600; color: inherit;
  text-decoration: none }
.mark svg { width: 1.5rem; height: 1.5rem; stroke: var(--accent) }
.mark rect { fill: var(--accent) }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem }
p { margin: 0 0 1rem }
label { display: block; margin: 0 0 1rem }
input { width: 100%; min-height: 2.75rem; margin-top: .25rem; padding: .5rem .75rem; font: inherit; color: inherit;
  background: var(--ground); border: 1px solid var(--edge); border-radius: .5rem }
button, .next { display: inline-block; min-height: 2.75rem; padding: .6rem 1.25rem; font: inherit; font-weight: 600;
  line-height: 1.5; border: 0; border-radius: .5rem; background: var(--accent); color: var(--on-accent); cursor: pointer;
  text-decoration: none }
a:focus-visible, input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.problem { border-left: .25rem solid var(--bad); padding-left: .75rem }
label small { display: block; margin-top: .5rem }
small { color: var(--quiet) }
form + p { margin: 1rem 0 0 }
`

const MARK = html`<a class="mark" href="/console"><svg viewBox="0 0 22 22" fill="none" stroke-width="2.4"
 stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M14.5 1v12.5a4.75 4.75 0 0 1-9.5 0V11"/><rect
 x="2.6" y="4.6" width="4.8" height="4.8" rx="1" stroke="none"/></svg>Hookline</a>`

/**
 * The headers of every page. Nothing runs or loads on it; a form may only be sent here, no other page may frame it; the address
 * holds a token, which must not be sent as a Referer or stay in a cache.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': HTML_TYPE,
  'Content-Security-Policy': documentPolicy(STYLE, { formAction: "'self'", frameAncestors: "'none'" }),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': NO_STORE,
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
}

function page(title: string, content: Markup): Promise<string> {
  const body = html`<main>
${MARK}
<h1>${title}</h1>
${content}
</main>`
  return htmlDocument(title, STYLE, body)
}

function problemText(problem: string | undefined): Markup | string {
  return problem === undefined ? '' : html`<p class="problem" role="alert" id="problem">${problem}</p>`
}

/** A page with a message, and a link to the console. */
export function messagePage(title: string, message: string, next = 'Go to the console'): Promise<string> {
  return page(title, html`<p>${message}</p>\n<p><a class="next" href="/console">${next}</a></p>`)
}

/**
 * Asks for the password of the sign-up and the press of a button: mail scanners follow links, but press nothing.
 * `problem` says what was wrong with the last try.
 */
export function verifyPage(email: string, token: string, problem?: string): Promise<string> {
  return page(
    'Confirm your email address',
    html`${problemText(problem)}
<p>Is <strong>${email}</strong> your address, and did you sign up with it? Then enter the password that you chose.</p>
<form method="post" action="/v0/user/verify">
<input type="hidden" name="token" value="${token}">
<label>Account <input type="email" value="${email}" autocomplete="username" readonly></label>
<label>Password
<input type="password" name="password" autocomplete="current-password" required autofocus maxlength="1024"></label>
<button>Yes, confirm it</button>
</form>
<p><small>If you did not sign up, close this page: nothing happens without that password.</small></p>`,
  )
}

/** Asks for the password of an account that is to get this address, as {@link verifyPage} does. */
export function emailPage(email: string, token: string, problem?: string): Promise<string> {
  return page(
    'Confirm your new email address',
    html`${problemText(problem)}
<p>Is <strong>${email}</strong> to be the address of your account? Then enter the password of the account.</p>
<form method="post" action="/v0/user/email">
<input type="hidden" name="token" value="${token}">
<label>Password
<input type="password" name="password" autocomplete="current-password" required autofocus maxlength="1024"></label>
<button>Yes, change it</button>
</form>
<p><small>If you did not ask for that, close this page: nothing happens without that password.</small></p>`,
  )
}

/** Asks for a new password; `problem` says what was wrong with the last one. */
export function resetPage(email: string, token: string, problem?: string): Promise<string> {
  return page(
    'Choose a new password',
    html`${problemText(problem)}
<form method="post" action="/v0/user/password">
<input type="hidden" name="token" value="${token}">
<label>Account <input type="email" value="${email}" autocomplete="username" readonly></label>
<label>New password
<input type="password" name="password" autocomplete="new-password" required autofocus minlength="6"
  pattern="(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{6,}"
  title="At least 6 characters, among them a digit, a lower-case and an upper-case letter">
<small>At least 6 characters, among them a digit, a lower-case and an upper-case letter.</small></label>
<button>Set the password</button>
</form>
<p><small>Every session of this account ends.</small></p>`,
  )
}
