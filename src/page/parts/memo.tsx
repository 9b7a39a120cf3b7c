import { Component, type ComponentType, type FunctionComponent } from "preact";

/** Wraps a component so that it is rendered again only when its properties change. */
export function memo<Props extends object>(
  Memoised: FunctionComponent<Props>,
  areEqual: (one: Props, other: Props) => boolean,
): ComponentType<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Props) {
      return !areEqual(this.props, next);
    }

    render(props: Props) {
      return <Memoised {...props} />;
    }
  };
}
