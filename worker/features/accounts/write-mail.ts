import { html, raw } from 'hono/html'
import type { Language } from '../../../contract/languages.ts'
import type { MailTemplate } from '../../platform/records/mail-queue.ts'
import { loadWordings } from './mail-wordings/load-wordings.ts'
import { TO_OPERATORS } from './mail-wordings/wording.ts'
import type { MailMessage } from './post-mail.ts'

/** Writes a mail of the service named `service` (its host), with `link` where the template has one; a notice names `about`. */
export async function writeMail(
  template: MailTemplate,
  mail: { to: string; service: string; link: string | undefined; about: string; language: Language },
): Promise<MailMessage> {
  const { language, service, about } = mail
  const write =
    template === 'incident' || template === 'alert'
      ? TO_OPERATORS[template]
      : (await loadWordings(language)).wordings[template]
  const { subject, before, after = [] } = write(service, about)
  const { link } = mail
  const paragraphs = (lines: string[]) => lines.map((line) => html`<p>${line}</p>`)
  const anchor = link === undefined ? raw('') : html`<p><a href="${link}">${link}</a></p>`
  const page = await html`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body>${paragraphs(before)}${anchor}${paragraphs(after)}</body>
</html>`
  return {
    to: mail.to,
    subject,
    text: `${[...before, ...(link === undefined ? [] : [link]), ...after].join('\n\n')}\n`,
    html: page.toString(),
  }
}
