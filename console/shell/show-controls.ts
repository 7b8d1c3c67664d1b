import { options } from 'preact'
import { isRecord } from '../../client/http/parse-json.ts'
import { visibleControls } from '../core/visible-controls.ts'

/** Attributes that are read out or shown. */
const SHOWN = ['aria-label', 'title'] as const

/** Has every text that a view draws drawn with its controls visible: names are strangers' own, and are in all views. */
export function showControls(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    const props: unknown = vnode.props
    // A text's own node has the text in place of properties.
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
