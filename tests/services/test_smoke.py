import pytest
pytestmark = pytest.mark.anyio
@pytest.mark.parametrize("i", range(10))
async def test_a(world, call, i, statements):
    o = await call("get_submission", world.organizer, submission="sub_trio")
    
    o = await call("decide_submission", world.organizer, submission="sub_trio", decision="accept")
    
