import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** Calls `act` once, when the element is in view and `wanted`. */
export function useSeen(element: RefObject<HTMLElement | null>, wanted: boolean, act: () => void): void {
  useEffect(() => {
    const target = element.current
    if (!wanted || !target) return
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return
      observer.disconnect()
      act()
    })
    observer.observe(target)
    return () => observer.disconnect()
  }, [wanted])
}
