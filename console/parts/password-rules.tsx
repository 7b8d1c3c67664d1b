import { passwordRules } from '../core/credentials.ts'
import { texts } from '../texts/index.ts'
import { Icon } from './icon.tsx'
import { Block } from './motif.tsx'

/** The rules of a password, each with a sign that it is met. */
export function PasswordRules({ password }: { password: string }) {
  const rules = passwordRules(password)
  const names = ['length', 'letters', 'digit'] as const
  return (
    <ul class="small rules">
      {names.map((name) => (
        <li key={name} class={rules[name] ? 'row tight' : 'row tight quiet'}>
          {rules[name] ? <Icon name="tick" /> : <Block fill="hollow" />}
          <span>
            {texts.signUp.rules[name]}
            <span class="vh"> {rules[name] ? texts.signUp.rules.met : texts.signUp.rules.missing}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}
