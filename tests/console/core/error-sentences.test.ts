import { describe, expect, it } from 'vitest'
import { errors as errorsDe } from '../../../console/texts/de/errors.ts'
import { texts as textsDe } from '../../../console/texts/de/texts.ts'
import { errors as errorsEs } from '../../../console/texts/es/errors.ts'
import { toolsOf } from '../../../console/texts/tools.ts'
import { ERROR_CODES } from '../../../contract/error-codes.ts'

const WRITTEN = { de: Object.entries(errorsDe), es: Object.entries(errorsEs) }

/** Words that only one of the languages has: a sentence in English has several of its own, and none of the others. */
const ENGLISH = /\b(the|is|it|this|that|are|not|of|again|later|cannot|account|item|try|send)\b/i
const OWN = {
  de: /\b(der|die|das|den|ein|eine|einer|ist|nicht|kein|keine|und|zu|Sie|Ihr|Ihre|Ihrem|Dieser|Dieses)\b/i,
  es: /\b(el|la|los|las|otra|un|una|de|no|que|su|se|ya|este|esta|ha|más)\b/i,
}

describe.each(['de', 'es'] as const)('the sentences for failures in %s', (language) => {
  const own = WRITTEN[language]

  it('are for codes that the service has', () => {
    expect(own.map(([code]) => code).filter((code) => !Object.hasOwn(ERROR_CODES, code))).toEqual([])
  })

  it('are in that language', () => {
    const foreign = own.filter(([, text]) => ENGLISH.test(text) || !OWN[language].test(text))
    expect(foreign).toEqual([])
  })

  it('are whole sentences, or lead to the one of the service', () => {
    expect(own.filter(([, text]) => !/^[A-ZÁÉÍÓÚ].*[.:]$/.test(text))).toEqual([])
  })

  it('do not blame or beg', () => {
    const forbidden = /\b(bitte|leider|ungültig|sorry|ups)\b|por favor|lo sentimos|inválid|[!¡]/i
    expect(own.filter(([, text]) => forbidden.test(text))).toEqual([])
  })
})

it('both languages have sentences for the same codes', () => {
  expect(Object.keys(errorsEs).sort()).toEqual(Object.keys(errorsDe).sort())
})

it('both languages let the sentence of the service follow for the same codes', () => {
  const leads = (language: keyof typeof WRITTEN) =>
    WRITTEN[language].filter(([, text]) => text.endsWith(':')).map(([code]) => code)
  expect(leads('es').sort()).toEqual(leads('de').sort())
})

it('no code has a sentence in two places', () => {
  const elsewhere = Object.keys(textsDe(toolsOf('de')).addresses.codes)
  expect(elsewhere.filter((code) => Object.hasOwn(errorsDe, code))).toEqual([])
})
