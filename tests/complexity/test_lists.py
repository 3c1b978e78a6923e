"""Lists that come in pages: the pages of a list together are work in proportion to it, as each goes through all of it."""

import pytest

from complexity.counting import check, work
from complexity.families_lists import LISTS, N


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Models of N and of 2 N elements; each is made once."""
    made = {}

    def model(make, times):
        if (make, times) not in made:
            made[make, times] = make(tmp_path_factory.mktemp(make.__name__), times * N)
        return made[make, times]

    return model


@pytest.mark.parametrize("make, question", [(make, question) for make in LISTS for question in LISTS[make]],
                         ids=lambda value: getattr(value, "__name__", value or "summary"))
def test_a_list_into_a_pipe_is_linear_work(cpb, models, make, question):
    counts = check(lambda times: work(cpb, "inspect", models(make, times), *question.split()), to=2)
    assert all(count["entries"] > N for count in counts), "each page is counted"
