import { texts } from '../texts/index.ts'
import { settings } from './settings.ts'

/** Help, and the operator's links: terms, privacy, contact. */
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
    </footer>
  )
}
