import { useEffect } from 'preact/hooks'
import { Route, Router } from 'preact-iso'
import { LIFETIMES } from '../contract/lifetimes.ts'
import { followEvents } from './events/feed.ts'
import { focusHeadings } from './parts/page.tsx'
import { viewLater } from './parts/view-later.tsx'
import { claims, may } from './session/access.ts'
import { LoginAgain } from './session/login-again.tsx'
import { readPrices } from './shell/prices.ts'
import { Shell } from './shell/shell.tsx'
import { loadErrors } from './texts/errors.ts'

let last: Promise<unknown> = Promise.resolve()

/**
 * Loads views with texts of their own one after another: their modules await these. WebKit (bug 242740) returns such a
 * module too early where two ask for it at the same time, as loading ahead and a click do.
 */
function inTurn<View>(load: () => Promise<View>): () => Promise<View> {
  return () => {
    const view = last.then(load)
    last = view.catch(() => undefined)
    return view
  }
}

/** What most people open, in the order in which it is loaded ahead. */
const OFTEN = {
  store: () => import('./views/store.tsx'),
  library: () => import('./views/library.tsx'),
  item: () => import('./views/item.tsx'),
  sites: inTurn(() => import('./views/sites.tsx')),
  site: inTurn(() => import('./views/site.tsx')),
  money: () => import('./views/money.tsx'),
  account: inTurn(() => import('./views/account.tsx')),
  order: () => import('./views/order.tsx'),
  pay: () => import('./views/pay.tsx'),
}

const Store = viewLater(OFTEN.store)
const Order = viewLater(OFTEN.order)
const Library = viewLater(OFTEN.library)
const Item = viewLater(OFTEN.item)
const Receipt = viewLater(() => import('./views/receipt.tsx'))
const Sites = viewLater(OFTEN.sites)
const Site = viewLater(OFTEN.site)
const Money = viewLater(OFTEN.money)
const Pay = viewLater(OFTEN.pay)
const Withdraw = viewLater(() => import('./views/withdraw.tsx'))
const Account = viewLater(OFTEN.account)
const Webhooks = viewLater(() => import('./views/webhooks.tsx'))
const Help = viewLater(() => import('./views/help.tsx'))
const Operate = viewLater(() => import('./views/operate.tsx'))
const Missing = viewLater(() => import('./views/missing.tsx'))

/** After this time the rest of the console is loaded, so that it works without the server. */
const PRELOAD_MS = 3_000
/** How often what coins are worth is read again. */
const PRICES_MS = LIFETIMES.prices * 1000

/** The console of a user who is logged in: the frame, and a view by its address. */
export default function Inside() {
  const account = claims.value?.id ?? ''
  const operates = may('operate') || may('moderate') || may('users')
  useEffect(() => {
    const stop = followEvents(account)
    // Resumes earlier uploads. Loaded after the current view.
    void import('./upload/share-orders.ts').then(({ loadOrders }) => loadOrders())
    return stop
  }, [account])
  useEffect(() => {
    const timer = setTimeout(async () => {
      await loadErrors()
      for (const load of Object.values(OFTEN)) await load().catch(() => undefined)
    }, PRELOAD_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    void readPrices()
    const again = setInterval(readPrices, PRICES_MS)
    return () => clearInterval(again)
  }, [])
  return (
    <Shell>
      <Router onRouteChange={focusHeadings}>
        <Route path="/console" component={Store} />
        <Route path="/console/store" component={Store} />
        <Route path="/console/sign-in" component={Store} />
        <Route path="/console/sign-up" component={Store} />
        <Route path="/console/order/:id" component={Order} />
        <Route path="/console/library" component={Library} />
        <Route path="/console/library/folder/:folder" component={Library} />
        <Route path="/console/item/:id" component={Item} />
        <Route path="/console/item/:id/receipt" component={Receipt} />
        <Route path="/console/sites" component={Sites} />
        <Route path="/console/sites/:id" component={Site} />
        <Route path="/console/money" component={Money} />
        <Route path="/console/money/withdraw" component={Withdraw} />
        <Route path="/console/pay/:address" component={Pay} />
        <Route path="/console/account" component={Account} />
        <Route path="/console/account/webhooks" component={Webhooks} />
        <Route path="/console/help" component={Help} />
        {operates ? [<Route key="operate" path="/console/operate/:part?" component={Operate} />] : []}
        <Route default component={Missing} />
      </Router>
      <LoginAgain />
    </Shell>
  )
}
