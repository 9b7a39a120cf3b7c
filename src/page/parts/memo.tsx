import { Component, type ComponentType, type FunctionComponent } from "preact";

/** A component that is drawn anew only when its properties are others. */
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
