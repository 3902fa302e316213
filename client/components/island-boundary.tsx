import { Component, type ReactNode } from 'react'

/** Shows an error if an island breaks. Adds nothing to the markup, so that hydration matches. */
export class IslandBoundary extends Component<{ children?: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true }
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children
    return (
      <p className="error-summary" role="alert">
        Something went wrong on this page. Anything you saved is safe. Reload the page to continue.
      </p>
    )
  }
}
