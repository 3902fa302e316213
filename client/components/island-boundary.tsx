import { Component, type ReactNode } from 'react'

/** When an island breaks, its place says so; the rest of the page goes on. Adds nothing to the markup, so hydration agrees. */
export class IslandBoundary extends Component<{ children?: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true }
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children
    return (
      <p className="error-summary" role="alert">
        Something went wrong on this page. What you saved is kept. Reload the page to continue.
      </p>
    )
  }
}
