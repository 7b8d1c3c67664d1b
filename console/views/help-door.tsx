import { Brand } from '../parts/motif.tsx'
import { Footer } from '../shell/footer.tsx'
import Help from './help.tsx'

/** The help for somebody who is not signed in. */
export default function HelpDoor() {
  return (
    <main class="main help-door">
      <a class="brand" href="/console">
        <Brand />
      </a>
      <Help />
      <Footer />
    </main>
  )
}
