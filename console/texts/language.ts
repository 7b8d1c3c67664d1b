import { chooseLanguage, isLanguage, type Language } from '../../contract/languages.ts'

const KEY = 'hookline-language'

/** What was chosen in this browser, or undefined: then the browser's languages are followed. */
export function chosenLanguage(): Language | undefined {
  try {
    const kept = localStorage.getItem(KEY)
    return isLanguage(kept) ? kept : undefined
  } catch {
    return undefined
  }
}

/** The language of this page, from its start to its end. English outside of browsers. */
export const language: Language =
  typeof document === 'undefined' ? 'en' : (chosenLanguage() ?? chooseLanguage(navigator.languages))

/** The same for dates and lists: English has the day before the month, and the hours up to 24, as the other two have. */
export const region = language === 'en' ? 'en-GB' : language

/** Keeps a choice for this browser, and loads the page again if it is shown in another language. */
export function setLanguage(next: Language | undefined): void {
  try {
    if (next === undefined) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, next)
  } catch {
    // Without storage the page would be in the same language again.
    return
  }
  if ((next ?? chooseLanguage(navigator.languages)) !== language) location.reload()
}
