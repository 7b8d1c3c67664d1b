/** Providers that deliver `a.b` and `ab` to one mailbox. */
const WITHOUT_DOTS = ['gmail.com', 'googlemail.com']

/**
 * What stands for the mailbox of an address where mail is counted: most providers deliver `name+anything` to `name`
 * (RFC 5233), so that one mailbox has any number of addresses. `email` is lower-cased.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const [name = ''] = email.slice(0, at).split('+')
  const domain = email.slice(at + 1)
  return `${WITHOUT_DOTS.includes(domain) ? name.replaceAll('.', '') : name}@${domain}`
}
