"""how_to: recipes that name what there is, with examples that are calls."""

import msgspec
import pytest

from tests.conftest import Call
from tests.world import World
from unsession.access import Permission
from unsession.catalogue import OPERATIONS, parse
from unsession.services.guide import RECIPES, Recipe

each_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.key)


@each_recipe
def test_a_recipe_names_operations_that_agents_can_call(recipe: Recipe) -> None:
    missing = [
        name
        for name in recipe.operations
        if name not in OPERATIONS or OPERATIONS[name].route is None
    ]

    assert missing == []
    assert recipe.example_of in recipe.operations


@each_recipe
def test_the_example_of_a_recipe_is_a_call_of_its_operation(recipe: Recipe) -> None:
    operation = OPERATIONS[recipe.example_of]
    arguments = msgspec.json.decode(recipe.example)
    if operation.writes:
        arguments.pop("dryRun", None)  # of every write, not of this one

    assert parse(operation.input, arguments)


def test_keys_and_goals_are_told_apart() -> None:
    assert len({recipe.key for recipe in RECIPES}) == len(RECIPES)
    assert len({recipe.goal for recipe in RECIPES}) == len(RECIPES)


async def test_without_a_goal_every_recipe_is_listed_by_name(call: Call, world: World) -> None:
    listed = msgspec.to_builtins((await call("how_to", world.reader)).result)

    assert listed == {"recipes": [{"key": r.key, "goal": r.goal} for r in RECIPES]}


@pytest.mark.parametrize(
    ("goal", "key"),
    [
        ("publish", "publish"),
        ("I want to publish the agenda now", "publish"),
        ("take back what I just changed", "take-back"),
        ("which tracks are thin?", "thin-tracks"),
        ("add a session of a sponsor", "sponsor-slot"),
        ("MOVE A SESSION", "move-a-session"),
    ],
)
async def test_a_goal_in_words_finds_its_recipe_first(
    call: Call, world: World, goal: str, key: str
) -> None:
    shown = (await call("how_to", world.reader, goal=goal)).result.recipes

    assert shown[0].key == key
    assert len(shown) == 3
    full = msgspec.to_builtins(shown[0])
    assert full.keys() == {
        "key", "goal", "operations", "exampleOf", "example", "pitfalls", "check"
    }  # fmt: skip


async def test_whoever_reaches_anything_may_ask_how(call: Call, world: World) -> None:
    assert OPERATIONS["how_to"].needs is Permission.SELF_READ
    assert (await call("how_to", world.reviewer)).result.recipes
