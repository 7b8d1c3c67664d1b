import { AppendFile } from './journal.ts'

/** A mail as the Worker posts it to MAIL_URL, and the time of its arrival. */
export interface Mail {
  from: string
  to: string
  subject: string
  text: string
  html: string
  receivedAt: string
}

/** The mails sent so far: what a mail provider would have delivered. */
export class Outbox {
  readonly mails: Mail[] = []
  readonly #file: AppendFile | undefined

  /** @param path where mails are stored between starts; without one in memory only */
  constructor(path?: string) {
    this.#file = path === undefined ? undefined : new AppendFile(path)
    for (const line of this.#file?.lines ?? []) this.mails.push(JSON.parse(line))
  }

  /** Stores a mail; returns what is wrong with an incomplete one. */
  accept(body: string, receivedAt: string): string | undefined {
    let value: unknown
    try {
      value = JSON.parse(body)
    } catch {
      return 'The body is not JSON.'
    }
    const fields = new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : [])
    const text = (name: string): string | undefined => {
      const field = fields.get(name)
      return typeof field === 'string' ? field : undefined
    }
    const from = text('from')
    const to = text('to')
    const subject = text('subject')
    if (!from || !to || !subject) return 'A mail has from, to and subject.'
    const mail = { from, to, subject, text: text('text') ?? '', html: text('html') ?? '', receivedAt }
    if (!mail.text && !mail.html) return 'A mail has text or html.'
    this.#file?.append(JSON.stringify(mail))
    this.mails.push(mail)
    return undefined
  }

  close(): void {
    this.#file?.close()
  }
}
