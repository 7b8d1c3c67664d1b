import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { lazy } from 'preact-iso'
import { isEmail } from '../core/credentials.ts'
import { setTypedEmail, typedEmail } from '../session/access.ts'
import { Footer } from '../shell/footer.tsx'
import { texts } from '../texts/index.ts'
import { Field } from './field.tsx'
import { Brand } from './motif.tsx'

const Letter = lazy(() => import('./letter.tsx').then(({ Letter }) => Letter))

/** The page before login: a form, and a sample that is verified in view of the user. */
export function Door({ children, foot }: { children: ComponentChildren; foot: string }) {
  const [usable, setUsable] = useState(false)
  // The code that verifies the sample is loaded when the form is usable.
  useEffect(() => {
    const timer = setTimeout(() => setUsable(true), 0)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="door">
      <main>
        <a class="brand" href="/console">
          <Brand />
        </a>
        {children}
        <p class="small quiet">{foot}</p>
        <Footer />
      </main>
      {usable ? <Letter /> : <section class="letter" aria-hidden="true" />}
    </div>
  )
}

/** The field of the email address, which all forms before login share. */
export function EmailField({ tried, autocomplete = 'username' }: { tried: boolean; autocomplete?: string }) {
  const email = typedEmail.value
  return (
    <Field
      label={texts.signIn.email}
      type="email"
      inputmode="email"
      autocomplete={autocomplete}
      value={email}
      onValue={setTypedEmail}
      tried={tried}
      fault={isEmail(email) ? undefined : texts.signIn.emailMissing}
    />
  )
}
