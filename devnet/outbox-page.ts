import { escapeHtml } from './escape-html.ts'
import type { Mail } from './outbox.ts'

/** Most mails on the page; the JSON form has all. */
const MAX_SHOWN = 50

/** The outbox as a page: the newest mails first, as text, with links. */
export function outboxPage(mails: readonly Mail[]): string {
  const shown = mails.slice(-MAX_SHOWN).reverse()
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Outbox of this machine</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}article{border-top:1px solid;padding:.5rem 0}h2{font-size:1.1rem;margin:.5rem 0 0}pre{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere}</style>
<h1>Outbox</h1><p>Mails that the service on this machine sent. Nothing leaves the machine; the newest is first.</p>
${shown.length === 0 ? '<p>No mail yet. Load the page again in a moment.</p>' : shown.map(article).join('\n')}</html>`
}

function article({ to, subject, text, receivedAt }: Mail): string {
  const time = `<time datetime="${escapeHtml(receivedAt)}">${escapeHtml(receivedAt)}</time>`
  return `<article><h2>${escapeHtml(subject)}</h2><p>To ${escapeHtml(to)}, ${time}</p><pre>${withLinks(text)}</pre></article>`
}

/** Escapes `text` and links the web addresses in it. */
function withLinks(text: string): string {
  const parts = text.split(/(https?:\/\/[^\s<>"]+)/)
  return parts
    .map((part, index) => {
      const escaped = escapeHtml(part)
      return index % 2 === 0 ? escaped : `<a href="${escaped}" rel="noreferrer">${escaped}</a>`
    })
    .join('')
}
