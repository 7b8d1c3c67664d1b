import { useEffect, useState } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from 'preact-iso'
import { Announcer } from './parts/announce.tsx'
import { focusHeadings, WaitingRows } from './parts/page.tsx'
import { restoreSession, sessionState } from './session/access.ts'
import { readSettings } from './shell/settings.ts'
import { texts } from './texts/index.ts'

const SignIn = lazy(() => import('./views/sign-in.tsx'))
const SignUp = lazy(() => import('./views/sign-up.tsx'))
const Reset = lazy(() => import('./views/reset.tsx'))
const HelpDoor = lazy(() => import('./views/help-door.tsx'))
const Inside = lazy(() => import('./inside.tsx'))

/** The console; without a login the sign-in page, at any address. */
export function App() {
  useEffect(() => {
    void restoreSession()
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

/** Shown if a part of the console cannot be loaded, for example after a new version. */
function Boundary({ children }: { children: preact.ComponentChildren }) {
  const [failed, setFailed] = useState(false)
  if (failed) {
    return (
      <main class="main">
        <div class="page">
          <h1>{texts.failures.reload}</h1>
          <p>
            <button type="button" class="btn primary" onClick={() => location.reload()}>
              {texts.failures.reloadButton}
            </button>
          </p>
        </div>
      </main>
    )
  }
  return <ErrorBoundary onError={() => setFailed(true)}>{children}</ErrorBoundary>
}
