import { createElement } from '../script-element.ts'

/**
 * Shows content in an `<object>` that is made for it inside `element`: Chromium never shows anything else in one whose inside, for
 * browsers that cannot show its content, it has shown. The inside stays that of the new one; if `show` fails, it stays where it was.
 */
export async function plugInside<Result>(
  element: HTMLObjectElement,
  show: (inner: HTMLObjectElement) => Promise<Result>,
): Promise<Result> {
  const inner = createElement('object')
  for (const name of ['width', 'height', 'name']) {
    const value = element.getAttribute(name)
    if (value !== null) inner.setAttribute(name, value)
  }
  const before = element.firstElementChild
  const isOurs = before instanceof HTMLObjectElement && before.data.startsWith('blob:')
  const inside = [...(isOurs ? before : element).childNodes]
  const shown = show(inner)
  inner.append(...inside)
  element.replaceChildren(inner)
  try {
    return await shown
  } catch (error) {
    element.replaceChildren(...inside)
    throw error
  }
}
