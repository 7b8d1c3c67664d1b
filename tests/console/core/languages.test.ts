import { afterEach, describe, expect, it, vi } from 'vitest'
import { account as accountDe } from '../../../console/texts/de/account.ts'
import { decode as decodeDe } from '../../../console/texts/de/decode.ts'
import { help as helpDe } from '../../../console/texts/de/help.ts'
import { operate as operateDe } from '../../../console/texts/de/operate.ts'
import { sites as sitesDe } from '../../../console/texts/de/sites.ts'
import { texts as textsDe } from '../../../console/texts/de/texts.ts'
import { webhooks as webhooksDe } from '../../../console/texts/de/webhooks.ts'
import { account as accountEn } from '../../../console/texts/en/account.ts'
import { decode as decodeEn } from '../../../console/texts/en/decode.ts'
import { help as helpEn } from '../../../console/texts/en/help.ts'
import { operate as operateEn } from '../../../console/texts/en/operate.ts'
import { sites as sitesEn } from '../../../console/texts/en/sites.ts'
import { texts as textsEn } from '../../../console/texts/en/texts.ts'
import { webhooks as webhooksEn } from '../../../console/texts/en/webhooks.ts'
import { account as accountEs } from '../../../console/texts/es/account.ts'
import { decode as decodeEs } from '../../../console/texts/es/decode.ts'
import { help as helpEs } from '../../../console/texts/es/help.ts'
import { operate as operateEs } from '../../../console/texts/es/operate.ts'
import { sites as sitesEs } from '../../../console/texts/es/sites.ts'
import { texts as textsEs } from '../../../console/texts/es/texts.ts'
import { webhooks as webhooksEs } from '../../../console/texts/es/webhooks.ts'
import { toolsOf } from '../../../console/texts/tools.ts'
import { chooseLanguage, type Language } from '../../../contract/languages.ts'

const WRITTEN = {
  en: {
    texts: textsEn,
    account: accountEn,
    sites: sitesEn,
    operate: operateEn,
    webhooks: webhooksEn,
    help: helpEn,
    decode: decodeEn,
  },
  de: {
    texts: textsDe,
    account: accountDe,
    sites: sitesDe,
    operate: operateDe,
    webhooks: webhooksDe,
    help: helpDe,
    decode: decodeDe,
  },
  es: {
    texts: textsEs,
    account: accountEs,
    sites: sitesEs,
    operate: operateEs,
    webhooks: webhooksEs,
    help: helpEs,
    decode: decodeEs,
  },
}

/** Values for the placeholders of a text: each is found again in what is written. */
const VALUES = ['11', '22', '33', '44', '55']

/** Texts that are the same in another language: names, terms of the field, words that the languages share. */
const SAME: Record<'de' | 'es', readonly RegExp[]> = {
  de: [
    /^(Hookline|Name|Film|Text|Website|Sites|CSV|CAA|KB|Index|Link|Version 11|Domain|Domains|Passkeys)$/,
    /^(Inscription|Doginal|Stamp|Runestone)$/,
    /^(Webhooks|Wallet|Bytes|Version 11, 22|IPFS|in 11|node_modules)$/,
  ],
  es: [/^(Hookline|Doginal|Stamp|Runestone|KB|CSV|CAA|Bytes|11 bytes|11, 22 bytes, 33|Webhooks|IPFS|node_modules)$/],
}

/** What is made of values alone reads the same everywhere. */
const VALUES_ONLY = /^[\d\s,.:;…/"“”()-]*$/

describe.each(['de', 'es'] as const)('the texts in %s', (language) => {
  const own = allTexts(language)
  const english = allTexts('en')

  it('have the names of the English ones, and no other', () => {
    expect([...own.keys()]).toEqual([...english.keys()])
  })

  it('name every value that the English ones name', () => {
    const lacking = [...english].filter(([path, text]) => named(own.get(path)).join() !== named(text).join())
    expect(lacking.map(([path]) => `${path}: ${own.get(path)}`)).toEqual([])
  })

  it('are translated, but for names and shared words', () => {
    const left = [...own].filter(
      ([path, text]) =>
        text === english.get(path) && !VALUES_ONLY.test(text) && !SAME[language].some((same) => same.test(text)),
    )
    expect(left.map(([path, text]) => `${path}: ${text}`)).toEqual([])
  })

  it('do not blame or beg', () => {
    const forbidden =
      language === 'de' ? /\b(bitte|leider|ungültig|sorry|ups)\b|!/i : /por favor|lo sentimos|inválid|[!¡]/i
    expect([...own.values(), ...helpWords(language)].filter((text) => forbidden.test(text))).toEqual([])
  })

  it('have help with every question and paragraph of the English one', () => {
    const shape = (of: Language) => WRITTEN[of].help.map(({ answer }) => answer.length)
    expect(shape(language)).toEqual(shape('en'))
  })

  it('have help that quotes buttons and pages as they are called', () => {
    const labels = new Set(own.values())
    const quotes = helpWords(language).flatMap((text) =>
      [...text.matchAll(/[„«]([^“»]+)[“»]/g)].map(([, quoted]) => quoted),
    )
    const unknown = quotes.filter(
      (quoted = '') => !labels.has(quoted) && !/^[a-z/]|CNAME|browser|navegador/i.test(quoted),
    )
    expect(unknown).toEqual([])
  })
})

describe('a language', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  it('is the first that the browser names and the console has, else English', () => {
    expect([['de-AT'], ['fr', 'es-MX', 'de'], ['fr', 'nl'], [], ['DE'], ['deu']].map(chooseLanguage)).toEqual([
      ...['de', 'es', 'en', 'en', 'de', 'en'],
    ])
  })

  it('writes times, sizes and lists by its own rules', async () => {
    expect(await written('de')).toEqual([
      ...[
        '1\u00a0Sekunde',
        '2\u00a0Tage',
        '22. Nov. 2026',
        '1,2\u00a0MB',
        '999\u00a0Byte',
        '18.340.113',
        'Deutschland',
      ],
      ...[
        '2.000 Dateien speichern',
        '1 Datei speichern',
        'a, b, c und 7 weitere',
        'Live, zuletzt gehört vor 2\u00a0Tagen',
      ],
    ])
    expect(await written('es')).toEqual([
      ...['1\u00a0segundo', '2\u00a0días', '22 nov 2026', '1,2\u00a0MB', '999\u00a0bytes', '18.340.113', 'Alemania'],
      ...['Guardar 2000 archivos', 'Guardar 1 archivo', 'a, b, c y 7 más', 'En vivo, última señal hace 2\u00a0días'],
    ])
    expect(await written('en')).toEqual([
      ...['1\u00a0second', '2\u00a0days', '22 Nov 2026', '1.2\u00a0MB', '999\u00a0bytes', '18,340,113', 'Germany'],
      ...['Store 2,000 files', 'Store 1 file', 'a, b, c and 7 more', 'Live, last heard 2\u00a0days ago'],
    ])
  })

  it('writes amounts with its mark, reads that mark and a point, and refuses groups of digits', async () => {
    speak('de')
    const { amountText, plainAmount, readAmount } = await import('../../../console/core/coins.ts')
    expect([amountText(120_450_000_000n), amountText(-1n)]).toEqual(['1.204,50000000', '−0,00000001'])
    expect(plainAmount(120_450_000_000n)).toBe('1204.50000000')
    expect(['0,02', ' 0.02 ', '1204'].map(readAmount)).toEqual([2_000_000n, 2_000_000n, 120_400_000_000n])
    expect(['1.204,5', '1,204,5', ''].map(readAmount)).toEqual([undefined, undefined, undefined])
  })

  it('puts "de" after a million in Spanish', () => {
    expect(toolsOf('es').counted(2_000_000, 'archivo', 'archivos')).toBe('2.000.000 de archivos')
  })
})

function speak(language: Language): void {
  vi.resetModules()
  vi.stubGlobal('document', {})
  vi.stubGlobal('navigator', { languages: [language] })
}

/** Samples of every kind of value as one language writes them. */
async function written(language: Language): Promise<string[]> {
  speak(language)
  const { durationText, dayText } = await import('../../../console/core/time-text.ts')
  const { groupDigits, limitText } = await import('../../../console/core/size-text.ts')
  const { countryName } = await import('../../../console/core/country-name.ts')
  const { listed } = await import('../../../console/core/listed.ts')
  const { texts } = await import('../../../console/texts/index.ts')
  return [
    ...[durationText(1), durationText(172_800)],
    ...[dayText(1_795_348_800), limitText(1_200_000), limitText(999), groupDigits(18_340_113), countryName('DE')],
    ...[texts.store.chosen(2000), texts.store.chosen(1), listed(['a', 'b', 'c', ...'defghij'])],
    texts.live(durationText(172_800)),
  ]
}

/** Every text by its path, with {@link VALUES} in its placeholders. */
function allTexts(language: Language): Map<string, string> {
  const { texts, account, sites, operate, webhooks, decode } = WRITTEN[language]
  const tools = toolsOf(language)
  const all = new Map<string, string>()
  const add = (path: string, value: unknown) => {
    if (typeof value === 'string') all.set(path, value)
    else if (typeof value === 'function') all.set(path, String(Reflect.apply(value, undefined, VALUES)))
    else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) add(`${path}.${name}`, each)
  }
  add('texts', texts(tools))
  add('account', account)
  add('sites', sites(tools))
  add('operate', operate(tools))
  add('webhooks', webhooks(tools))
  add('decode', decode(tools))
  return all
}

/** Which of {@link VALUES} a text names. */
function named(text = ''): string[] {
  return VALUES.filter((value) => text.includes(value))
}

function helpWords(language: Language): string[] {
  return WRITTEN[language].help.flatMap(({ question, answer }) => [question, ...answer])
}
