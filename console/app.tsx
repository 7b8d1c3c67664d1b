import { useEffect, useState } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso'
import { Announcer } from './parts/announce.tsx'
import { focusHeadings, WaitingRows } from './parts/page.tsx'
import { NotLoaded, viewLater } from './parts/view-later.tsx'
import { sessionState } from './session/access.ts'
import { readSettings } from './shell/settings.ts'

const SignIn = viewLater(() => import('./views/sign-in.tsx'))
const SignUp = viewLater(() => import('./views/sign-up.tsx'))
const Reset = viewLater(() => import('./views/reset.tsx'))
const HelpDoor = viewLater(() => import('./views/help-door.tsx'))
const Inside = viewLater(() => import('./inside.tsx'))

/** The console; without a login the sign-in page, at any address. */
export function App() {
  useEffect(() => {
    void readSettings()
  }, [])
  return (
    <LocationProvider scope="/console">
      <Announcer />
      <Boundary>
        {sessionState.value === 'in' ? <Inside /> : sessionState.value === 'out' ? <Door /> : <Opening />}
      </Boundary>
    </LocationProvider>
  )
}

/** Nothing at first, then placeholder bars if the service is slow. */
function Opening() {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300)
    return () => clearTimeout(timer)
  }, [])
  return late ? (
    <main class="main">
      <WaitingRows />
    </main>
  ) : null
}

function Door() {
  return (
    <Router onRouteChange={focusHeadings}>
      <Route path="/console/sign-up" component={SignUp} />
      <Route path="/console/reset" component={Reset} />
      <Route path="/console/help" component={HelpDoor} />
      <Route default component={SignIn} />
    </Router>
  )
}

/** Says so where a view fails. */
function Boundary({ children }: { children: preact.ComponentChildren }) {
  const [failed, setFailed] = useState(false)
  if (failed) {
    return (
      <main class="main">
        <NotLoaded />
      </main>
    )
  }
  return <ErrorBoundary onError={() => setFailed(true)}>{children}</ErrorBoundary>
}
