import { options } from 'preact'
import { isRecord } from '../../client/http/parse-json.ts'
import { visibleControls } from '../core/visible-controls.ts'

/** Attributes that are read aloud or displayed. */
const SHOWN = ['aria-label', 'title'] as const

/**
 * Makes direction controls visible in every text of the console, because names are untrusted and appear in all views.
 */
export function showControls(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    const props: unknown = vnode.props
    // A text node has its text instead of properties.
    if (typeof props === 'string') Reflect.set(vnode, 'props', visibleControls(props))
    else if (typeof vnode.type === 'string' && isRecord(props)) {
      for (const name of SHOWN) {
        const text = props[name]
        if (typeof text === 'string') props[name] = visibleControls(text)
      }
    }
    before?.(vnode)
  }
}
