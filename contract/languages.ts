/** The languages of the console and of mails, by their tags (BCP 47), and what each calls itself. */
export const LANGUAGE_NAMES = { en: 'English', de: 'Deutsch', es: 'Español' } as const

export type Language = keyof typeof LANGUAGE_NAMES

export const LANGUAGES = ['en', 'de', 'es'] as const satisfies readonly Language[]

/** Whether a value, of storage or of a row, names one of the languages. */
export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value)
}

/** The first of the tags that somebody reads, such as `de-AT`, that is one of the languages. */
export function findLanguage(tags: readonly string[]): Language | undefined {
  return tags.map((tag) => tag.split('-', 1)[0]?.toLowerCase()).find(isLanguage)
}

/** The same; English where there is none. */
export function chooseLanguage(tags: readonly string[]): Language {
  return findLanguage(tags) ?? 'en'
}
