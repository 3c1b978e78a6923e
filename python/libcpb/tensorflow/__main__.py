"""TensorFlow's saved_model_cli, on models in either form:

    python -m libcpb.tensorflow show --dir model --all
"""

from libcpb.tensorflow import enable


def main() -> None:
    from tensorflow.python.tools import saved_model_cli

    enable()
    saved_model_cli.main()


if __name__ == "__main__":
    main()
