import { describe, expect, it } from 'vitest'
import { wordings as de } from '../../../../worker/features/accounts/mail-wordings/de.ts'
import { wordings as en } from '../../../../worker/features/accounts/mail-wordings/en.ts'
import { wordings as es } from '../../../../worker/features/accounts/mail-wordings/es.ts'
import { preferredLanguage } from '../../../../worker/features/accounts/preferred-language.ts'
import { writeMail } from '../../../../worker/features/accounts/write-mail.ts'

const TEMPLATES = Object.keys(en).filter((name): name is keyof typeof en => name in en)

describe.each([
  ['de', de],
  ['es', es],
] as const)('the mails in %s', (language, own) => {
  it.each(TEMPLATES)('say of %s what the English one says, in its own words', (template) => {
    const about = template === 'order' ? 'A subject\na line' : 'added'
    const [mine, english] = [own, en].map((each) => each[template]('hook.example', about))
    expect(mine?.before.length).toBe(english?.before.length)
    expect(mine?.after?.length).toBe(english?.after?.length)
    expect(mine?.before.join()).toContain('hook.example')
    expect(mine?.before).not.toEqual(english?.before)
    if (template !== 'order') expect(mine?.subject).not.toBe(english?.subject)
  })

  it('name their language to who reads them aloud', async () => {
    const mail = { to: 'ada@x.example', service: 'hook.example', link: undefined, about: '', language }
    expect((await writeMail('password', mail)).html).toContain(`<html lang="${language}">`)
    expect((await writeMail('incident', { ...mail, about: 'The disk is full.' })).subject).toBe(
      'hook.example needs an operator',
    )
  })
})

it('prefers what Accept-Language weighs most, of the languages that there are', () => {
  expect(
    ['fr, de;q=0.8, es;q=0.9', 'de-CH', 'fr, nl', '*', 'es;q=0, en', ''].map((header) => preferredLanguage(header)),
  ).toEqual(['es', 'de', undefined, undefined, 'en', undefined])
  expect(preferredLanguage()).toBeUndefined()
})
