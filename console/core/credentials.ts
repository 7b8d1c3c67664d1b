/** The service's own pattern of an address, after lower-casing. */
const EMAIL = /^[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,4}$/

/** Whether the service accepts `text` as an email address. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text.trim().toLowerCase())
}

/** Which rules of the service a password meets. */
export function passwordRules(password: string): { length: boolean; letters: boolean; digit: boolean } {
  return {
    length: password.length >= 6,
    letters: /[a-z]/.test(password) && /[A-Z]/.test(password),
    digit: /\d/.test(password),
  }
}

export function isPassword(password: string): boolean {
  return Object.values(passwordRules(password)).every(Boolean)
}
