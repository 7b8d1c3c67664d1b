/** The two domains of one provider, which delivers `a.b` and `ab` to one mailbox. */
const WITHOUT_DOTS = ['gmail.com', 'googlemail.com']

/**
 * What is for the mailbox of an address where mail is counted: most providers deliver `name+anything` to `name`
 * (RFC 5233), so that one mailbox has any number of addresses. Text that the pattern of addresses allows behind the domain,
 * as in `a@b.com,xy`, some providers read as a second address: it makes no other mailbox. `email` is lower-cased.
 */
export function normalizeEmail(email: string): string {
  const [, local = '', domain = ''] = /^([^@]*)@([a-z0-9.-]*)/.exec(email) ?? []
  const [name = ''] = local.split('+')
  return WITHOUT_DOTS.includes(domain) ? `${name.replaceAll('.', '')}@${WITHOUT_DOTS[0]}` : `${name}@${domain}`
}
