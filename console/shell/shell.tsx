import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { BLOCKCHAINS } from '../../protocol/chains.ts'
import { api } from '../api/client.ts'
import { coinsText, unitsOf } from '../core/coins.ts'
import { groupDigits } from '../core/size-text.ts'
import { clockText } from '../core/time-text.ts'
import { useLoad } from '../hooks/use-load.ts'
import { online } from '../hooks/use-online.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Brand } from '../parts/motif.tsx'
import { claims, may } from '../session/access.ts'
import { texts } from '../texts/index.ts'
import { setLanguage } from '../texts/language.ts'
import { counted, forgetCounts, readCounts } from './counts.ts'
import { Footer } from './footer.tsx'
import { listenForShortcuts, Shortcuts } from './shortcuts.tsx'

interface Place {
  href: string
  label: string
  icon: IconName
}

/** The navigation entries that the account may open. */
function places(): Place[] {
  const operates = may('operate') || may('moderate') || may('users')
  return [
    { href: '/console/store', label: texts.nav.store, icon: 'store' },
    { href: '/console/library', label: texts.nav.library, icon: 'library' },
    { href: '/console/sites', label: texts.nav.sites, icon: 'sites' },
    { href: '/console/money', label: texts.nav.money, icon: 'money' },
    ...(operates ? [{ href: '/console/operate', label: texts.nav.operate, icon: 'operate' } as const] : []),
  ]
}

/** The frame around every view: navigation, the banner when offline, the skip link. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path, route } = useLocation()
  useEffect(() => listenForShortcuts(route), [route])
  useLoad(readCounts, [], ['item.', 'request.'])
  useEffect(() => forgetCounts, [])
  const profile = useLoad(() => api.GET('/v0/user'), [], ['request', 'deposit.', 'withdrawal.'])
  const spoken = profile.data?.language
  useEffect(() => {
    if (spoken) setLanguage(spoken)
  }, [spoken])
  const links = (large: boolean) =>
    places().map((place) => (
      <a key={place.href} href={place.href} aria-current={placeOf(path) === place.href ? 'page' : undefined}>
        <Icon name={place.icon} {...(large && { size: 'large' })} />
        {place.label}
        {!large && place.icon === 'library' && counted.value.data && (
          <span class="count">{groupDigits(counted.value.data.total)}</span>
        )}
      </a>
    ))
  const balance = profile.error ? texts.nav.balanceAsOf(clockText(profile.readAt)) : texts.nav.balance
  const balances = BLOCKCHAINS.map((chain) => ({ chain, units: unitsOf(profile.data?.balances?.[chain] ?? 0) }))
  return (
    <div class="shell">
      <a class="skip" href="#page">
        {texts.skip}
      </a>
      {!online.value && (
        <div class="offline" role="status">
          <Icon name="offline" />
          <span>
            <strong>{texts.offline.title}</strong> {texts.offline.text}
          </span>
        </div>
      )}
      <aside class="rail">
        <a class="brand" href="/console/store">
          <Brand />
        </a>
        <nav class="nav" aria-label={texts.nav.main}>
          {links(false)}
        </nav>
        <div class="rail-foot">
          {profile.data && profile.error && <p class="quiet small">{texts.common.asOf(clockText(profile.readAt))}</p>}
          {profile.data && (
            <dl>
              {balances.map(({ chain, units }, index) => (
                <div key={chain}>
                  <dt>{index === 0 ? balance : <span class="vh">{chain}</span>}</dt>
                  <dd>{coinsText(units, chain)}</dd>
                </div>
              ))}
            </dl>
          )}
          <p class="row tight quiet">
            <Icon name="account" />
            <a class="inherit" href="/console/account">
              {claims.value?.email ?? texts.nav.account}
            </a>
          </p>
        </div>
      </aside>
      <header class="topbar">
        <a class="brand" href="/console/store">
          <Brand />
        </a>
        <a class="btn icon plain" href="/console/account" aria-label={texts.nav.account}>
          <Icon name="account" size="large" />
        </a>
      </header>
      <main class="main" id="page" tabindex={-1}>
        {children}
        <Footer />
      </main>
      <nav class="tabs-phone" aria-label={texts.nav.main}>
        {links(true)}
      </nav>
      <Shortcuts />
    </div>
  )
}

const PLACES: Record<string, string> = { order: '/console/store', item: '/console/library', pay: '/console/money' }

/** The navigation entry of a path. */
function placeOf(path: string): string {
  const part = path.split('/')[2] ?? ''
  return PLACES[part] ?? `/console/${part || 'store'}`
}
