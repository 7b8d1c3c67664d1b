import { isLanguage, LANGUAGE_NAMES, LANGUAGES } from '../../contract/languages.ts'
import { sessionState } from '../session/access.ts'
import { texts } from '../texts/index.ts'
import { language, setLanguage } from '../texts/language.ts'
import { settings } from './settings.ts'

/** Help, the operator's links, which are terms, privacy and contact, and before a login the language. */
export function Footer() {
  const { help, terms, privacy, contact } = settings.value ?? {}
  const links = [
    [help ?? '/console/help', texts.footer.help],
    [terms, texts.footer.terms],
    [privacy, texts.footer.privacy],
    [contact, texts.footer.contact],
  ] as const
  return (
    <footer class="about">
      <nav aria-label={texts.footer.label}>
        {links.map(([href, label]) =>
          href ? (
            <a key={label} href={href}>
              {label}
            </a>
          ) : null,
        )}
      </nav>
      {sessionState.value === 'out' && <LanguageChoice />}
    </footer>
  )
}

/** Chooses the language of this browser. Who is signed in chooses that of the account, in the account. */
function LanguageChoice() {
  return (
    <select
      class="input sm"
      aria-label={texts.footer.language}
      value={language}
      onChange={({ currentTarget: { value } }) => isLanguage(value) && setLanguage(value)}
    >
      {LANGUAGES.map((each) => (
        <option key={each} value={each} lang={each}>
          {LANGUAGE_NAMES[each]}
        </option>
      ))}
    </select>
  )
}
