import { html } from 'hono/html'
import { documentPolicy, htmlDocument, type Markup } from '../../platform/http/html-document.ts'
import { HTML_TYPE } from '../../platform/http/media-types.ts'
import { NO_STORE } from '../../platform/http/policies.ts'

const STYLE = `
:root { color-scheme: light dark; --accent: light-dark(#0b57d0, #a8c7fa); --on-accent: light-dark(#fff, #062e6f) }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.5 system-ui, sans-serif }
main { box-sizing: border-box; width: 100%; max-width: 26rem; padding: 1.5rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem }
label { display: block; margin: 0 0 1rem }
input { box-sizing: border-box; width: 100%; margin-top: .25rem; padding: .6rem .75rem; font: inherit;
  border: 1px solid light-dark(#767676, #8e918f); border-radius: .5rem }
button { padding: .6rem 1.25rem; font: inherit; font-weight: 600; border: 0; border-radius: .5rem;
  background: var(--accent); color: var(--on-accent); cursor: pointer }
input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.problem { border-left: .25rem solid light-dark(#b3261e, #f2b8b5); padding-left: .75rem }
label small { display: block; margin-top: .5rem }
small { color: light-dark(#5f6368, #9aa0a6) }
`

/**
 * The headers of every page. Nothing runs or loads on it; a form may only go back here, no other page may frame it; the address holds a token, which must not leave with a Referer or stay in a cache.
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
<h1>${title}</h1>
${content}
</main>`
  return htmlDocument(title, STYLE, body)
}

function problemText(problem: string | undefined): Markup | string {
  return problem === undefined ? '' : html`<p class="problem" role="alert" id="problem">${problem}</p>`
}

/** A page that only tells something. */
export function messagePage(title: string, message: string): Promise<string> {
  return page(title, html`<p>${message}</p>`)
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
