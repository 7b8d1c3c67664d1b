import { vi } from 'vitest'

export interface SentMail {
  from: string
  to: string
  subject: string
  text: string
  html: string
}

/**
 * Stands in for the mail provider at MAIL_URL: takes every mail, or answers `status`. Nothing else reaches the network.
 */
export function openOutbox() {
  const mails: SentMail[] = []
  const requests: Request[] = []
  const outbox = { mails, requests, status: 202, lastLink }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    if (request.url !== 'https://mail.example/send') throw new Error(`A test asked for ${request.url}`)
    const sent = request.clone()
    const mail = await request.json<SentMail>()
    // Both at once: whoever waits for the one finds the other.
    requests.push(sent)
    if (outbox.status < 300) mails.push(mail)
    return new Response(null, { status: outbox.status })
  })
  /** Path and query of the link in the newest mail to `to`. */
  function lastLink(to: string): string {
    const mail = mails.findLast((candidate) => candidate.to === to)
    const [link] = /https:\/\/api\.example\/\S+/.exec(mail?.text ?? '') ?? []
    if (link === undefined) throw new Error(`There is no link in the last mail to ${to}.`)
    return link.slice('https://api.example'.length)
  }
  return outbox
}
