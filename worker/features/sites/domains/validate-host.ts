import { domainToUnicode } from 'node:url'
import { getDomain, getPublicSuffix } from 'tldts'
import unhomoglyph from 'unhomoglyph'

/** Suffixes of companies count as well: `github.io` belongs to all who have a page there. */
const LISTS = { allowPrivateDomains: true } as const

/** Whether a host is a suffix under which strangers have domains of their own (https://publicsuffix.org). */
export function isPublicSuffix(host: string): boolean {
  return getPublicSuffix(host, LISTS) === host
}

/**
 * Whether a host is one of ours or under our domains, or looks like one: by letters that look the same (Unicode Technical
 * Standard 39, skeletons), by standing in front of another domain, or with hyphens for dots.
 */
export function resembledHost(host: string, ours: readonly string[]): 'own' | 'look-alike' | undefined {
  const names = [...new Set(ours.flatMap((own) => [own, getDomain(own, LISTS) ?? own]))].filter((own) =>
    own.includes('.'),
  )
  if (names.some((own) => host === own || host.endsWith(`.${own}`))) return 'own'
  const seen = skeleton(host)
  const alike = names.map(skeleton).some((own) => {
    const hyphened = own.replaceAll('.', '-')
    return `.${seen}.`.includes(`.${own}.`) || seen.split('.').some((label) => label.includes(hyphened))
  })
  return alike ? 'look-alike' : undefined
}

/** The skeleton of a host: the same text for all spellings that look the same. */
function skeleton(host: string): string {
  return unhomoglyph(
    domainToUnicode(host)
      .normalize('NFKD')
      .replace(/\p{Mn}/gu, ''),
  ).toLowerCase()
}
