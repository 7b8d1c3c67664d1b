import { useEffect, useRef } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { may } from '../session/access.ts'
import { texts } from '../texts/index.ts'
import Audit from './operate/audit.tsx'
import Denylist from './operate/denylist.tsx'
import FailedRecords from './operate/failed-records.tsx'
import Health from './operate/health.tsx'
import Reconciliation from './operate/reconciliation.tsx'
import Reports from './operate/reports.tsx'
import Users from './operate/users.tsx'

/** The views for users with a permission to operate, moderate or see users. */
export default function Operate() {
  const { params } = useRoute()
  const parts = [
    { path: 'health', label: texts.nav.health, permission: 'operate', View: Health },
    { path: 'failed-records', label: texts.nav.failedRecords, permission: 'operate', View: FailedRecords },
    { path: 'reports', label: texts.nav.reports, permission: 'moderate', View: Reports },
    { path: 'denylist', label: texts.nav.denylist, permission: 'moderate', View: Denylist },
    { path: 'users', label: texts.nav.users, permission: 'users', View: Users },
    { path: 'reconciliation', label: texts.nav.reconciliation, permission: 'operate', View: Reconciliation },
    { path: 'audit', label: texts.nav.audit, permission: 'operate', View: Audit },
  ].filter(({ permission }) => may(permission))
  const now = parts.find(({ path }) => path === params.part) ?? parts[0]
  const nav = useRef<HTMLElement>(null)
  // On a phone the navigation is wider than the screen.
  useEffect(() => {
    const here = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (here && nav.current) nav.current.scrollLeft = here.offsetLeft - nav.current.offsetLeft
  }, [now?.path])
  return (
    <>
      <nav ref={nav} class="filters page operate-nav" aria-label={texts.nav.operate}>
        {parts.map(({ path, label }) => (
          <a key={path} href={`/console/operate/${path}`} aria-current={path === now?.path ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      {now && <now.View />}
    </>
  )
}
